import type { Homes } from '../homes.ts';

/** For callers who are in a workspace. */
export const noHomes: Pick<Homes, 'whyOutside'> = { whyOutside: async () => undefined };
