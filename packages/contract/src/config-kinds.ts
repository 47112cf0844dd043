/** The kinds of config items, in the order in which they are listed. */
export const configItemKinds = ['entity', 'logicblock', 'event', 'settings', 'crew'] as const;
