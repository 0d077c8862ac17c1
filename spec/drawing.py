# SPDX-License-Identifier: MIT
# drawing.py: boxes, texts and lines as SVG, with a text that does not fit its box as an error.
#
# The ground is opaque and light, so that a picture reads the same on a light and on a dark page. Widths of texts are
# estimated by Helvetica's; fonts that stand in for it are no wider by more than the margin that `fits` keeps.
import xml.sax.saxutils

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
INK, QUIET, LINE, GROUND, CARD = "#1f2933", "#5b6875", "#9aa5b1", "#ffffff", "#f5f7fa"
# fill and stroke of what belongs together
BLUE, GREEN, AMBER, GREY, VIOLET = (("#dbe7f5", "#4a78ad"), ("#dcefe6", "#4b9172"), ("#fbe9c9", "#c08a2b"),
                                    ("#e9edf1", "#8794a1"), ("#e9e1f3", "#84699f"))


def width_of(text, size):
    """Width in the units of `size`."""
    def one(c):
        if c in "ijl'|.,:;!I ":
            return .28
        if c in "frt()[]-/":
            return .34
        if c in "mMWw":
            return .85
        return .7 if c.isupper() else .56
    return sum(map(one, text)) * size


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Drawing:
    def __init__(self, width, height, title, description):
        self.parts = []
        self.width, self.height, self.title, self.description = width, height, title, description
        self.box(.5, .5, width - 1, height - 1, GROUND, "#d5dbe1", radius=8)

    def add(self, name, text=None, **attributes):
        attributes = {key.replace("_", "-"): number(value) if isinstance(value, (int, float)) else value
                      for key, value in attributes.items() if value is not None}
        head = f"<{name}" + "".join(f' {key}="{value}"' for key, value in attributes.items())
        self.parts.append(head + ("/>" if text is None else f">{xml.sax.saxutils.escape(text)}</{name}>"))

    def box(self, x, y, width, height, fill, stroke, radius=3, dashed=False):
        self.add("rect", x=x, y=y, width=width, height=height, rx=radius, fill=fill, stroke=stroke,
                 stroke_dasharray="4 3" if dashed else None)

    def path(self, d, stroke=LINE, fill="none", width=1.2, **attributes):
        self.add("path", d=d, fill=fill, stroke=stroke, stroke_width=width, **attributes)

    def text(self, x, y, text, size=11, room=None, fill=INK, anchor="start", bold=False, turn=None):
        """Its baseline begins, or its middle or end lies, at x, y. `room`: the width that it may take."""
        while room is not None and width_of(text, size) * (1.06 if bold else 1) > room:
            size -= .5
            if size < 7:
                raise ValueError(f'no room for "{text}"')
        self.add("text", text, x=x, y=y, font_size=size, fill=fill, text_anchor=anchor if anchor != "start" else None,
                 font_weight="bold" if bold else None, transform=turn)

    def save(self, path):
        w, h = number(self.width), number(self.height)
        lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img"'
                 f' font-family="{FONT}">', f"<title>{self.title}</title>", f"<desc>{self.description}</desc>"]
        path.write_text("\n".join(lines + self.parts + ["</svg>", ""]))
