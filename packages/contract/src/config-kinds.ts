import { kindsOfFeatures } from './features.ts';

/** The kinds of config items, in the order in which they are listed. */
export const configItemKinds = ['entity', 'logicblock', 'event', 'settings', 'crew', ...kindsOfFeatures] as const;
