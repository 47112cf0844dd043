/** What one may do at a glance, in the order of the legend. */
export const cellStates = ['allowed', 'conditional', 'denied', 'none'] as const;
export type CellState = (typeof cellStates)[number];

export const stateNames: Readonly<Record<CellState, string>> = {
  allowed: 'Allowed',
  conditional: 'Allowed with conditions',
  denied: 'Denied',
  none: 'Not granted',
};
