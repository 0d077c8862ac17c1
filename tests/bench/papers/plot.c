/* SPDX-License-Identifier: MIT
 * plot.c: a small writer of SVG line and bar charts.
 */
#include "plot.h"
#include "table.h"

#include <math.h>
#include <stdio.h>

enum { LEFT = 70, TOP = 34, WIDTH = 520, HEIGHT = 320, LEGEND = 200, BOTTOM = 52 };

static const char *const colours[PLOT_SERIES_MAX] = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e",
                                                     "#9467bd", "#8c564b", "#17becf", "#e377c2",
                                                     "#7f7f7f", "#bcbd22", "#000000", "#aec7e8"};

typedef struct axis {
    double lo, hi; /* of the logarithm, when is_log */
    bool is_log;
} axis;

static double on_axis(const axis *a, double value)
{
    return ((a->is_log ? log10(value) : value) - a->lo) / (a->hi - a->lo);
}

static bool usable(const axis *a, double value)
{
    return isfinite(value) && (!a->is_log || value > 0);
}

static void stretch(axis *a, const double *values, int count)
{
    for (int k = 0; k < count; k++) {
        if (!usable(a, values[k]))
            continue;
        const double value = a->is_log ? log10(values[k]) : values[k];
        a->lo = fmin(a->lo, value);
        a->hi = fmax(a->hi, value);
    }
}

/* A round number of about a fifth of the range. */
static double tick_step(const axis *a)
{
    const double raw = (a->hi - a->lo) / 5, power = pow(10, floor(log10(raw)));
    const double lead = raw / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void finish_axis(axis *a)
{
    if (!(a->lo <= a->hi))
        a->lo = 0, a->hi = 1;
    if (a->hi - a->lo < 1e-9)
        a->hi = a->lo + 1;
    if (a->is_log) {
        const double margin = 0.04 * (a->hi - a->lo);
        a->lo -= margin;
        a->hi += margin;
        return;
    }
    const double step = tick_step(a);
    a->lo = floor(a->lo / step) * step;
    a->hi = ceil(a->hi / step) * step;
}

static double screen_x(const axis *a, double value)
{
    return LEFT + WIDTH * on_axis(a, value);
}

static double screen_y(const axis *a, double value)
{
    return TOP + HEIGHT * (1 - on_axis(a, value));
}

static void escape(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

static void text_at(FILE *out, double x, double y, const char *attributes, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    escape(out, text);
    fputs("</text>\n", out);
}

/* ---- frame ----------------------------------------------------------------------------------- */

static void draw_tick(FILE *out, const axis *a, bool is_x, double value, bool is_labelled)
{
    char label[40];
    const double x = is_x ? screen_x(a, value) : LEFT, y = is_x ? TOP + HEIGHT : screen_y(a, value);
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", x, y,
            is_x ? x : LEFT + WIDTH, is_x ? (double)TOP : y);
    if (!is_labelled)
        return;
    snprintf(label, sizeof label, "%.4g", fabs(value) < 1e-12 ? 0 : value);
    if (is_x)
        text_at(out, x, y + 16, "text-anchor=\"middle\"", label);
    else
        text_at(out, x - 6, y + 4, "text-anchor=\"end\"", label);
}

static void draw_log_ticks(FILE *out, const axis *a, bool is_x)
{
    const bool is_short = a->hi - a->lo < 1.7;
    for (int power = (int)floor(a->lo); power <= (int)ceil(a->hi); power++)
        for (int lead = 1; lead < 10; lead++) {
            const double value = lead * pow(10, power), at = on_axis(a, value);
            const bool is_labelled = lead == 1 || (is_short && (lead == 2 || lead == 5));
            if (at >= 0 && at <= 1 && (is_labelled || is_short))
                draw_tick(out, a, is_x, value, is_labelled);
        }
}

static void draw_ticks(FILE *out, const axis *a, bool is_x)
{
    if (a->is_log) {
        draw_log_ticks(out, a, is_x);
        return;
    }
    const double step = tick_step(a);
    for (double value = ceil(a->lo / step - 1e-9) * step; value <= a->hi + step * 1e-6;
         value += step)
        draw_tick(out, a, is_x, value, true);
}

static FILE *begin(const plot *p)
{
    char name[200];
    snprintf(name, sizeof name, "%s.svg", p->name);
    FILE *out = report_create(name);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + WIDTH + LEGEND, TOP + HEIGHT + BOTTOM);
    text_at(out, LEFT, 20, "font-size=\"14\" font-weight=\"bold\"", p->title);
    return out;
}

static void frame(FILE *out, const plot *p)
{
    char turn[80];
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444\"/>\n",
            LEFT, TOP, WIDTH, HEIGHT);
    text_at(out, LEFT + WIDTH / 2.0, TOP + HEIGHT + 38, "text-anchor=\"middle\"", p->x_label);
    snprintf(turn, sizeof turn, "text-anchor=\"middle\" transform=\"rotate(-90 16 %d)\"",
             TOP + HEIGHT / 2);
    text_at(out, 16, TOP + HEIGHT / 2.0, turn, p->y_label);
}

static void legend(FILE *out, const plot *p)
{
    for (int k = 0; k < p->series_count; k++) {
        const double x = LEFT + WIDTH + 12, y = TOP + 12 + 18 * k;
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"4\" fill=\"%s\"/>\n", x,
                y - 6, colours[k]);
        text_at(out, x + 20, y, "", p->series[k].name);
    }
}

static void end(const plot *p, FILE *out)
{
    char name[200];
    snprintf(name, sizeof name, "%s.svg", p->name);
    fputs("</svg>\n", out);
    fclose(out);
    report_picture(name, p->title);
}

/* ---- charts ---------------------------------------------------------------------------------- */

static void draw_line(FILE *out, const axis *ax, const axis *ay, const plot_series *s,
                      const char *colour)
{
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s points=\"", colour,
            s->is_dashed ? " stroke-dasharray=\"5 4\"" : "");
    for (int k = 0; k < s->count; k++)
        if (usable(ax, s->x[k]) && usable(ay, s->y[k]))
            fprintf(out, "%.1f,%.1f ", screen_x(ax, s->x[k]), screen_y(ay, s->y[k]));
    fputs("\"/>\n", out);
    for (int k = 0; k < s->count && !s->is_dashed; k++)
        if (usable(ax, s->x[k]) && usable(ay, s->y[k]))
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>\n",
                    screen_x(ax, s->x[k]), screen_y(ay, s->y[k]), colour);
}

void plot_lines(const plot *p)
{
    axis ax = {INFINITY, -INFINITY, p->x_log}, ay = {INFINITY, -INFINITY, p->y_log};
    for (int k = 0; k < p->series_count; k++) {
        stretch(&ax, p->series[k].x, p->series[k].count);
        stretch(&ay, p->series[k].y, p->series[k].count);
    }
    if (!p->y_log)
        ay.lo = fmin(ay.lo, 0);
    finish_axis(&ax);
    finish_axis(&ay);
    FILE *out = begin(p);
    draw_ticks(out, &ax, true);
    draw_ticks(out, &ay, false);
    for (int k = 0; k < p->series_count; k++)
        draw_line(out, &ax, &ay, &p->series[k], colours[k]);
    frame(out, p);
    legend(out, p);
    end(p, out);
}

void plot_bars(const plot *p, const char *const *labels)
{
    const int groups = p->series[0].count;
    const double slot = (double)WIDTH / groups, bar = slot * 0.8 / p->series_count;
    axis ay = {p->y_log ? INFINITY : 0, p->y_log ? -INFINITY : 0, p->y_log};
    for (int k = 0; k < p->series_count; k++)
        stretch(&ay, p->series[k].y, groups);
    finish_axis(&ay);
    FILE *out = begin(p);
    draw_ticks(out, &ay, false);
    for (int k = 0; k < p->series_count; k++)
        for (int g = 0; g < groups; g++) {
            const double value = p->series[k].y[g];
            const double y = usable(&ay, value) ? screen_y(&ay, value) : TOP + HEIGHT;
            fprintf(out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                    LEFT + slot * (g + 0.1) + bar * k, y, bar, TOP + HEIGHT - y, colours[k]);
        }
    for (int g = 0; g < groups; g++)
        text_at(out, LEFT + slot * (g + 0.5), TOP + HEIGHT + 13 + g % 2 * 11,
                "text-anchor=\"middle\" font-size=\"10\"", labels[g]);
    frame(out, p);
    legend(out, p);
    end(p, out);
}
