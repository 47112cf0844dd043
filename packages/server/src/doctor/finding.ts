/** A check and its outcome: a fault says what to do about it, in the same sentence. */
export interface Finding {
  readonly kind: 'good' | 'note' | 'fault';
  readonly says: string;
}

export function good(says: string): Finding {
  return { kind: 'good', says };
}

export function note(says: string): Finding {
  return { kind: 'note', says };
}

export function fault(says: string): Finding {
  return { kind: 'fault', says };
}

/** The code of a system error, such as `ECONNREFUSED`, else its message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
