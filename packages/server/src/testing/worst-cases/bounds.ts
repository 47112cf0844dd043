/** What one request may cost, whatever it holds. */

/** In one turn of the event loop, while everybody else waits: about 50 ms. */
export const turnMax = { steps: 10_000_000, characters: 24_000_000 };
