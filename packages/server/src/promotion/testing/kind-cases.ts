/** Cases for contents of a kind, and for changes of them. For tests. */

export type Json = unknown;

export interface KindCases {
  readonly name: string;
  /** With every member that there is. */
  readonly content: Json;
  /** Pointers to objects that take known members alone. */
  readonly closed: readonly string[];
  readonly refused: readonly { readonly at: string; readonly value: Json; readonly error: string }[];
  /** The member that repeats the name, which a change leaves alone. */
  readonly identity?: string;
  /** At least one of each other member. */
  readonly changes: readonly { readonly at: string; readonly value: Json; readonly says: readonly string[] }[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly references: readonly string[];
  readonly widening: readonly { readonly at: string; readonly value: Json; readonly wider: readonly string[] }[];
}
