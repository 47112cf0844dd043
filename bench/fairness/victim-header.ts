/** A header that says whose calls `report-calls.ts` tells of. */
export const victimHeader = 'x-victim';
