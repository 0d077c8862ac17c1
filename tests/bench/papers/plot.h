/* SPDX-License-Identifier: MIT
 * plot.h: lines and bars as SVG.
 */
#ifndef PAPERS_PLOT_H
#define PAPERS_PLOT_H

#include <stdbool.h>

enum { PLOT_SERIES_MAX = 12 };

typedef struct plot_series {
    const char *name;
    const double *x, *y; /* points with NaN are left out */
    int count;
    const double *least, *most; /* the spread of y, drawn as a bar; or NULL */
} plot_series;

/* A dashed line through (x, y) that falls or rises as x to the power, to read slopes by; only where
 * both axes are logarithmic. */
typedef struct plot_slope {
    double x, y, power;
    const char *name;
} plot_slope;

enum { PLOT_SLOPES_MAX = 2 };

typedef struct plot {
    const char *name; /* of the file, without .svg */
    const char *title, *x_label, *y_label;
    bool x_log, y_log;
    plot_series series[PLOT_SERIES_MAX];
    int series_count;
    plot_slope slopes[PLOT_SLOPES_MAX];
    int slope_count;
} plot;

/* Draws lines and shows the picture in the report. */
void plot_lines(const plot *plot);
/* Draws groups of bars: x is 0, 1, 2 ...; labels: one for each group. */
void plot_bars(const plot *plot, const char *const *labels);

#endif
