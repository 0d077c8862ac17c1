// SPDX-License-Identifier: MIT
// errors.mjs: what a call fails with.

// As enum bvp_status of bvpack.h.
export const STATUS = [
  'ok',
  'not ours',
  'newer',
  'corrupt',
  'limit',
  'no memory',
  'system',
  'argument',
  'cancelled',
  'again',
];

export class BvpackError extends Error {
  // rule: of spec/format.md, or ''; offset: of the byte in the file, or -1
  constructor(status, message, { rule = '', offset = -1, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'BvpackError';
    this.status = status;
    this.rule = rule;
    this.offset = offset;
  }
}

// Errors cross from a worker as plain objects: of classes it has none.
export const packError = (error) => ({
  status: error.status ?? 'system',
  message: String(error.message ?? error),
  rule: error.rule,
  offset: error.offset,
});

export const unpackError = ({ status, message, rule, offset }) =>
  new BvpackError(status, message, { rule, offset });
