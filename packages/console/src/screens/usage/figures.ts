/** What the API can break down. */
export const figures = [
  'api_calls.today',
  'api_calls.month',
  'records.total',
  'runs.today',
  'deliveries.today',
  'script_ms.today',
  'mails.today',
] as const;

export type SummedFigure = (typeof figures)[number];

/** The amounts that are counted of the configuration of an environment or a workspace. */
export const capFigures = ['entities', 'indexes', 'policies'] as const;

export type CapFigure = (typeof capFigures)[number];
export type ExplainedFigure = SummedFigure | CapFigure;
