/* SPDX-License-Identifier: MIT
 * plot.c: a small writer of SVG line and bar charts.
 */
#include "plot.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LEFT = 70,
    TOP = 34,
    WIDTH = 520,
    HEIGHT = 340,
    LEGEND = 270,
    BOTTOM = 60,
    BOTTOM_TURNED = 96
};
/* of a shape of radius 3.5, where the font is 12 high and a letter about 6.5 wide */
enum { MARKERS = 6, LETTER = 7, BOTTOM_OF_LABELS = TOP + HEIGHT + 13 };

static const char *const colours[PLOT_SERIES_MAX] = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e",
                                                     "#9467bd", "#8c564b", "#17becf", "#e377c2",
                                                     "#7f7f7f", "#bcbd22", "#000000", "#aec7e8"};

/* A series is told by its colour, by its dashes and by its marker, so that print in black will do.
 */
static const char *const dashes[] = {"", "7 3", "2 3", "9 3 2 3", "12 4", "4 2 1 2"};

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

/* bottom: the room below the frame. */
static FILE *begin(const plot *p, int bottom)
{
    char name[200];
    snprintf(name, sizeof name, "%s.svg", p->name);
    FILE *out = report_create(name);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + WIDTH + LEGEND, TOP + HEIGHT + bottom);
    text_at(out, LEFT, 20, "font-size=\"14\" font-weight=\"bold\"", p->title);
    return out;
}

static void frame(FILE *out, const plot *p, int bottom)
{
    char turn[80];
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444\"/>\n",
            LEFT, TOP, WIDTH, HEIGHT);
    text_at(out, LEFT + WIDTH / 2.0, TOP + HEIGHT + bottom - 8, "text-anchor=\"middle\"",
            p->x_label);
    snprintf(turn, sizeof turn, "text-anchor=\"middle\" transform=\"rotate(-90 16 %d)\"",
             TOP + HEIGHT / 2);
    text_at(out, 16, TOP + HEIGHT / 2.0, turn, p->y_label);
}

static void draw_marker(FILE *out, int k, double x, double y)
{
    static const char *const shapes[MARKERS] = {
        "M -3 0 A 3 3 0 1 0 3 0 A 3 3 0 1 0 -3 0 Z", /* circle */
        "M -3 -3 H 3 V 3 H -3 Z",                    /* square */
        "M 0 -4 L 3.6 3 H -3.6 Z",                   /* triangle */
        "M 0 -4.2 L 4.2 0 L 0 4.2 L -4.2 0 Z",       /* diamond */
        "M -3 -3 L 3 3 M -3 3 L 3 -3",               /* cross */
        "M 0 4 L 3.6 -3 H -3.6 Z"};                  /* triangle, point down */
    const bool is_open = k >= MARKERS || k % MARKERS == 4;
    fprintf(out,
            "<path transform=\"translate(%.1f %.1f)\" d=\"%s\" fill=\"%s\" stroke=\"%s\" "
            "stroke-width=\"1.3\"/>\n",
            x, y, shapes[k % MARKERS], is_open ? "none" : colours[k], colours[k]);
}

static void stroke(FILE *out, const char *colour, const char *dash)
{
    fprintf(out, "stroke=\"%s\" stroke-width=\"1.6\" fill=\"none\"", colour);
    if (dash[0] != '\0')
        fprintf(out, " stroke-dasharray=\"%s\"", dash);
}

static void legend(FILE *out, const plot *p, bool is_lines)
{
    for (int k = 0; k < p->series_count; k++) {
        const double x = LEFT + WIDTH + 12, y = TOP + 12 + 18 * k;
        if (is_lines) {
            fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" ", x, y - 4, x + 32,
                    y - 4);
            stroke(out, colours[k], dashes[k % MARKERS]);
            fputs("/>\n", out);
            draw_marker(out, k, x + 16, y - 4);
        } else {
            fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"32\" height=\"9\" fill=\"%s\"/>\n", x,
                    y - 9, colours[k]);
        }
        text_at(out, x + 40, y, "", p->series[k].name);
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

static void draw_spread(FILE *out, const axis *ay, double x, double least, double most,
                        const char *colour)
{
    if (!usable(ay, least) || !usable(ay, most))
        return;
    const double lo = screen_y(ay, least), hi = screen_y(ay, most);
    fprintf(out, "<path d=\"M %.1f %.1f V %.1f M %.1f %.1f h 6 M %.1f %.1f h 6\" stroke=\"%s\"/>\n",
            x, lo, hi, x - 3, lo, x - 3, hi, colour);
}

static void draw_line(FILE *out, const axis *ax, const axis *ay, const plot_series *s, int k)
{
    fputs("<polyline ", out);
    stroke(out, colours[k], dashes[k % MARKERS]);
    fputs(" points=\"", out);
    for (int i = 0; i < s->count; i++)
        if (usable(ax, s->x[i]) && usable(ay, s->y[i]))
            fprintf(out, "%.1f,%.1f ", screen_x(ax, s->x[i]), screen_y(ay, s->y[i]));
    fputs("\"/>\n", out);
    for (int i = 0; i < s->count; i++)
        if (usable(ax, s->x[i]) && usable(ay, s->y[i])) {
            const double x = screen_x(ax, s->x[i]);
            if (s->least != NULL)
                draw_spread(out, ay, x, s->least[i], s->most[i], colours[k]);
            draw_marker(out, k, x, screen_y(ay, s->y[i]));
        }
}

/* From edge to edge of the frame, named near its left end. */
static void draw_slope(FILE *out, const axis *ax, const axis *ay, const plot_slope *s)
{
    double end[2][2];
    for (int side = 0; side < 2; side++) {
        double u = side == 0 ? ax->lo : ax->hi;
        double v = log10(s->y) + s->power * (u - log10(s->x));
        const double within = fmin(fmax(v, ay->lo), ay->hi);
        u += (within - v) / s->power;
        end[side][0] = LEFT + WIDTH * (u - ax->lo) / (ax->hi - ax->lo);
        end[side][1] = TOP + HEIGHT * (1 - (within - ay->lo) / (ay->hi - ay->lo));
    }
    fprintf(out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#555\" "
            "stroke-dasharray=\"1 4\" stroke-width=\"1.5\"/>\n",
            end[0][0], end[0][1], end[1][0], end[1][1]);
    text_at(out, 0.7 * end[0][0] + 0.3 * end[1][0] + 4, 0.7 * end[0][1] + 0.3 * end[1][1] - 4,
            "font-size=\"11\" fill=\"#333\" stroke=\"white\" stroke-width=\"4\" "
            "paint-order=\"stroke\"",
            s->name);
}

static void stretch_spread(axis *a, const plot_series *s, int count)
{
    stretch(a, s->y, count);
    if (s->least != NULL) {
        stretch(a, s->least, count);
        stretch(a, s->most, count);
    }
}

void plot_lines(const plot *p)
{
    axis ax = {INFINITY, -INFINITY, p->x_log}, ay = {INFINITY, -INFINITY, p->y_log};
    for (int k = 0; k < p->series_count; k++) {
        stretch(&ax, p->series[k].x, p->series[k].count);
        stretch_spread(&ay, &p->series[k], p->series[k].count);
    }
    if (!p->y_log)
        ay.lo = fmin(ay.lo, 0);
    finish_axis(&ax);
    finish_axis(&ay);
    FILE *out = begin(p, BOTTOM);
    draw_ticks(out, &ax, true);
    draw_ticks(out, &ay, false);
    for (int k = 0; k < p->slope_count; k++)
        draw_slope(out, &ax, &ay, &p->slopes[k]);
    for (int k = 0; k < p->series_count; k++)
        draw_line(out, &ax, &ay, &p->series[k], k);
    frame(out, p, BOTTOM);
    legend(out, p, true);
    end(p, out);
}

static bool fits(const char *label, double slot)
{
    return (double)strlen(label) * LETTER < slot;
}

static void draw_label(FILE *out, double x, bool is_turned, const char *label)
{
    char turn[120] = "text-anchor=\"middle\"";
    if (is_turned)
        snprintf(turn, sizeof turn,
                 "text-anchor=\"end\" font-size=\"11\" transform=\"rotate(-35 %.1f %d)\"", x,
                 BOTTOM_OF_LABELS);
    text_at(out, is_turned ? x + 6 : x, BOTTOM_OF_LABELS, turn, label);
}

void plot_bars(const plot *p, const char *const *labels)
{
    const int groups = p->series[0].count;
    const double slot = (double)WIDTH / groups, bar = slot * 0.8 / p->series_count;
    axis ay = {p->y_log ? INFINITY : 0, p->y_log ? -INFINITY : 0, p->y_log};
    for (int k = 0; k < p->series_count; k++)
        stretch_spread(&ay, &p->series[k], groups);
    finish_axis(&ay);
    bool is_turned = false;
    for (int g = 0; g < groups; g++)
        is_turned = is_turned || !fits(labels[g], slot);
    const int bottom = is_turned ? BOTTOM_TURNED : BOTTOM;
    FILE *out = begin(p, bottom);
    draw_ticks(out, &ay, false);
    for (int k = 0; k < p->series_count; k++)
        for (int g = 0; g < groups; g++) {
            const plot_series *s = &p->series[k];
            const double x = LEFT + slot * (g + 0.1) + bar * k;
            const double y = usable(&ay, s->y[g]) ? screen_y(&ay, s->y[g]) : TOP + HEIGHT;
            fprintf(out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x,
                    y, bar, TOP + HEIGHT - y, colours[k]);
            if (s->least != NULL)
                draw_spread(out, &ay, x + bar / 2, s->least[g], s->most[g], "#000");
        }
    for (int g = 0; g < groups; g++)
        draw_label(out, LEFT + slot * (g + 0.5), is_turned, labels[g]);
    frame(out, p, bottom);
    legend(out, p, false);
    end(p, out);
}
