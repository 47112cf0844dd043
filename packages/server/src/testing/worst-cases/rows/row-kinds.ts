/** Rows of routes that take nothing large, by what is said of them. */
import type { Caller } from '../send.ts';
import type { Asked, Row } from '../worst-case.ts';
import { nothingAsked, nothingOfOneItem, nothingToChoose } from './reasons.ts';

export const noId = '01890a5d-ac96-774b-bcce-b302099a8057';

export const json = (value: unknown): Asked => ({ body: JSON.stringify(value) });

export const small = (target: string, as: Caller = 'builder'): Row => ({
  as,
  target: () => target,
  largest: nothingToChoose,
});
export const one = (target: string, as: Caller = 'builder'): Row => ({
  as,
  target: () => target,
  largest: nothingOfOneItem,
});
export const plain = (target: string, as: Caller = 'builder'): Row => ({
  as,
  target: () => target,
  largest: nothingAsked,
});
