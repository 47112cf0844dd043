import type { RequestOptions } from '../worst-case.ts';

export const noId = '01890a5d-ac96-774b-bcce-b302099a8057';

export const json = (value: unknown): RequestOptions => ({ body: JSON.stringify(value) });
