// SPDX-License-Identifier: MIT
// shaders.mjs: the programs: pieces of parts; boxes that stand for what is not here or is small, and
// points for what is smaller; boxes without tables.
// An instance is a number; its placement, part and colour are in textures. Normals come from
// derivatives, so vertices are positions alone.

const TABLES = `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform sampler2D placements; // 3 texels an instance: rows
uniform sampler2D paints;     // its colour
uniform usampler2D partNumbers;
uniform sampler2D partBoxes;  // 2 texels a part: lo, hi
uniform vec4 plane;
in uint which;
out vec3 seenAt;
flat out vec3 colour;
flat out float handed; // -1: a mirrored placement turns triangles over
out float side;

ivec2 texel(uint number, uint each, uint k) {
  return ivec2(int((number % 1024u) * each + k), int(number / 1024u));
}

void place(vec3 p) {
  vec4 row0 = texelFetch(placements, texel(which, 3u, 0u), 0);
  vec4 row1 = texelFetch(placements, texel(which, 3u, 1u), 0);
  vec4 row2 = texelFetch(placements, texel(which, 3u, 2u), 0);
  vec4 q = vec4(p, 1.0);
  vec4 world = vec4(dot(row0, q), dot(row1, q), dot(row2, q), 1.0);
  handed = sign(dot(row0.xyz, cross(row1.xyz, row2.xyz)));
  colour = texelFetch(paints, texel(which, 1u, 0u), 0).rgb;
  side = dot(plane, world);
  vec4 seen = modelViewMatrix * world;
  seenAt = seen.xyz;
  gl_Position = projectionMatrix * seen;
}
`;

export const PIECE_VERTEX = `${TABLES}
in vec4 position; // 0 to 1 in the piece's box
uniform vec3 lo;
uniform vec3 size;
#ifdef COLOURS
in vec3 vertexColour;
#endif
void main() {
  place(lo + position.xyz * size);
#ifdef COLOURS
  colour = vertexColour;
#endif
}
`;

export const BOX_VERTEX = `${TABLES}
in vec3 position; // a corner: 0 or 1
void main() {
  uint part = texelFetch(partNumbers, texel(which, 1u, 0u), 0).r;
  vec3 lo = texelFetch(partBoxes, texel(part, 2u, 0u), 0).xyz;
  vec3 hi = texelFetch(partBoxes, texel(part, 2u, 1u), 0).xyz;
  place(mix(lo, hi, position));
}
`;

// As large as the box's two longer sides are, in pixels.
export const POINT_VERTEX = `${TABLES}
in vec3 position; // none: 0
uniform float focal; // pixels across of a unit at a distance of one
void main() {
  uint part = texelFetch(partNumbers, texel(which, 1u, 0u), 0).r;
  vec3 lo = texelFetch(partBoxes, texel(part, 2u, 0u), 0).xyz;
  vec3 hi = texelFetch(partBoxes, texel(part, 2u, 1u), 0).xyz;
  place(mix(lo, hi, 0.5) + position);
  vec3 size = hi - lo;
  float most = max(size.x, max(size.y, size.z));
  float least = min(size.x, min(size.y, size.z));
  float middle = size.x + size.y + size.z - most - least;
  gl_PointSize = clamp(sqrt(most * middle) * focal / max(-seenAt.z, 1e-20), 1.0, 6.0);
}
`;

// Boxes in the world that need no tables.
export const PLAIN_VERTEX = `
precision highp float;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform vec4 plane;
uniform vec3 flatColour;
in vec3 position;
in vec3 lo;
in vec3 hi;
out vec3 seenAt;
flat out vec3 colour;
flat out float handed;
out float side;
void main() {
  vec4 world = vec4(mix(lo, hi, position), 1.0);
  handed = 1.0;
  colour = flatColour;
  side = dot(plane, world);
  vec4 seen = modelViewMatrix * world;
  seenAt = seen.xyz;
  gl_Position = projectionMatrix * seen;
}
`;

// A back face that the section opens is the cut solid's inside: it is painted flat and hatched, which
// looks as a cap does, for along the line of sight nothing of the solid is before it.
export const FRAGMENT = `
precision highp float;
uniform float hasFaces; // 0: points
uniform float opacity;
uniform float hasCaps;
in vec3 seenAt;
flat in vec3 colour;
flat in float handed;
in float side;
out vec4 pixel;
void main() {
  if (side < 0.0) discard;
  if (hasFaces < 0.5) {
    pixel = vec4(colour * 0.78, opacity);
    return;
  }
  bool isFront = gl_FrontFacing == (handed >= 0.0);
  vec3 n = normalize(cross(dFdx(seenAt), dFdy(seenAt)));
  vec3 light = normalize(vec3(0.25, 0.45, 0.86));
  float lit = 0.42 + 0.58 * abs(dot(n, light));
  vec3 shown = colour * lit;
  if (hasCaps > 0.5 && !isFront) {
    float stripe = mod(gl_FragCoord.x + gl_FragCoord.y, 9.0);
    shown = mix(colour, vec3(0.78, 0.22, 0.17), 0.55) * (stripe < 1.6 ? 0.62 : 1.0);
  }
  pixel = vec4(shown, opacity);
}
`;
