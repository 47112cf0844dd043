import type { RunUser } from './runs/run-rows.ts';

/** Stands for the app itself where a user is named, as in `created_by`. No source of ids makes it. */
export const appUserId = '00000000-0000-7000-8000-000000000000';

export const appUser: RunUser = { id: appUserId, kind: 'app' };
