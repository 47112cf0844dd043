/**
 * Contents of character classes that readers of regular expressions of every language have: the patterns of the platform
 * use no properties of Unicode (`\p`) and do not look around.
 */

/** The controls (`Cc`). */
export const controls = '\\x00-\\x1f\\x7f-\\x9f';

/** Spaces and separators (`Z`), and the byte order mark; those of ASCII but the space itself are controls. */
export const spaces = ' \\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\uFEFF';

/** What turns the direction of a text (`Bidi_Control`). */
export const directionMarks = '\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069';
