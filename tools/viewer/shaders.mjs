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
uniform sampler2D paints;     // its colour; a of 1: it is closed
uniform usampler2D partNumbers;
uniform sampler2D partBoxes;  // 2 texels a part: lo, hi
uniform vec4 plane;
in uint which;
out vec3 seenAt;
flat out vec3 colour;
flat out float isClosed;
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
  vec4 paint = texelFetch(paints, texel(which, 1u, 0u), 0);
  colour = paint.rgb;
  isClosed = paint.a;
  side = dot(plane, world);
  vec4 seen = modelViewMatrix * world;
  seenAt = seen.xyz;
  gl_Position = projectionMatrix * seen;
}
`;

export const PIECE_VERTEX = `${TABLES}
in vec4 position; // 0 to 1 in the piece's box, and which run of colours
uniform vec3 lo;
uniform vec3 size;
uniform float hasSwatches;
uniform usampler2D swatchFirsts;
uniform sampler2D swatches;
void main() {
  place(lo + position.xyz * size);
  if (hasSwatches > 0.5) {
    uint first = texelFetch(swatchFirsts, texel(which, 1u, 0u), 0).r;
    uint run = uint(position.w * 65535.0 + 0.5);
    if (first > 0u) colour = texelFetch(swatches, texel(first - 1u + run, 1u, 0u), 0).rgb;
  }
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
flat out float isClosed;
flat out float handed;
out float side;
void main() {
  vec4 world = vec4(mix(lo, hi, position), 1.0);
  handed = isClosed = 1.0;
  colour = flatColour;
  side = dot(plane, world);
  vec4 seen = modelViewMatrix * world;
  seenAt = seen.xyz;
  gl_Position = projectionMatrix * seen;
}
`;

const CAP_COLOUR = `
vec3 hatched(vec3 colour, vec2 at) {
  return colour * (mod(at.x + at.y, 9.0) < 1.6 ? 0.72 : 0.94);
}
`;

// A back face of a closed part is seen only where the section opens it: until the caps come it is
// painted as they are.
export const FRAGMENT = `
precision highp float;
uniform float hasFaces; // 0: points
uniform float opacity;
uniform float hasCaps;
in vec3 seenAt;
flat in vec3 colour;
flat in float isClosed;
flat in float handed;
in float side;
out vec4 pixel;
${CAP_COLOUR}
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
  if (hasCaps * isClosed > 0.9 && !isFront) shown = hatched(colour, gl_FragCoord.xy);
  pixel = vec4(shown, opacity);
}
`;

// ---- caps -------------------------------------------------------------------------------------------
// The eye is on the side that is cut away. Of a ray's crossings with a closed surface behind the
// plane, those outwards are one more than those inwards just where the ray meets the plane inside. So
// the sum of what follows, over all that the plane meets, is the colours and the number of bodies
// that hold the pixel's point of the plane, whatever their order.

export const CAP_SUM_FRAGMENT = `
precision highp float;
in vec3 seenAt;
flat in vec3 colour;
flat in float isClosed;
flat in float handed;
in float side;
out vec4 sum;
void main() {
  if (side < 0.0) discard;
  sum = gl_FrontFacing == (handed >= 0.0) ? vec4(-colour, -1.0) : vec4(colour, 1.0);
}
`;

export const CAP_VERTEX = `
precision highp float;
out vec2 at;
void main() { // a triangle over all of the picture
  at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(at, 0.0, 1.0);
}
`;

// A pixel that differs from all around it is a crack between triangles. Caps end in a dark line.
export const CAP_FRAGMENT = `
precision highp float;
precision highp sampler2D;
uniform sampler2D sums;
uniform vec4 plane; // in the picture's coordinates, -1 to 1
in vec2 at;
out vec4 pixel;
${CAP_COLOUR}
// the colour, and 1 inside, 0 outside
vec4 bodyAt(ivec2 place) {
  vec4 sum = texelFetch(sums, clamp(place, ivec2(0), textureSize(sums, 0) - 1), 0);
  return abs(sum.a) < 0.5 ? vec4(0.0) : vec4(sum.rgb / sum.a, 1.0);
}
void main() {
  ivec2 place = ivec2(gl_FragCoord.xy);
  vec4 here = bodyAt(place);
  vec4 around[4] = vec4[4](bodyAt(place + ivec2(1, 0)), bodyAt(place - ivec2(1, 0)),
                           bodyAt(place + ivec2(0, 1)), bodyAt(place - ivec2(0, 1)));
  vec4 all = around[0] + around[1] + around[2] + around[3];
  if (all.a < 0.5) discard;
  if (all.a > 3.5 && here.a < 0.5) here = vec4(all.rgb / all.a, 1.0);
  if (here.a < 0.5) discard;
  bool isEdge = false;
  for (int i = 0; i < 4; i++) isEdge = isEdge || distance(around[i], here) > 0.02;
  pixel = vec4(isEdge ? here.rgb * 0.4 : hatched(here.rgb, gl_FragCoord.xy), 1.0);
  float z = -(plane.x * at.x + plane.y * at.y + plane.w) / plane.z;
  gl_FragDepth = clamp(0.5 * z + 0.5, 0.0, 1.0);
}
`;
