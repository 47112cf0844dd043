/**
 * The limits of a listener in the process of its test. A busy machine may hold that up for longer than a connection is
 * left open, which would be ended just as its client uses it again.
 */
export const patient = { keepAliveTimeout: 0, idleTimeout: 0 } as const;
