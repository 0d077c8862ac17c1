// SPDX-License-Identifier: MIT
// palette.mjs: colours of parts: those of the source where the file has them, else the ones that
// pictures of `bvpack view` have (tools/view/palette.c), and the colours of a clash's two sides.

const CALM = [
  0xd9dde2, 0xf0883e, 0x5b84b1, 0x9aa5b1, 0x7fb069, 0xe6c35c, 0xc75146, 0x73c2be, 0xa78bba, 0xb08968,
  0x4d6a8a, 0xe8a6a1,
];
const bytes = (rgb) => [rgb >> 16, (rgb >> 8) & 255, rgb & 255];

export const SELECTED = bytes(0x2f81f7);
export const SIDE_A = bytes(0xf0883e);
export const SIDE_B = bytes(0x2f81f7);

// Three numbers of 0 to 255.
export function partColour(part) {
  const fade = 1 - (Math.floor(part / CALM.length) % 4) * 0.17;
  return bytes(CALM[part % CALM.length]).map((one) => Math.round(one * fade));
}
