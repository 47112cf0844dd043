/** What a statement does where it matches. */
export type Effect = 'Allow' | 'Deny';
