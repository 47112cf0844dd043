export interface Work {
  readonly name: string;
  /** The target for the rate of the work, as a multiple of the first work's, if it has one. */
  readonly target?: number | undefined;
  run(client: number): Promise<unknown>;
}

export interface Plan {
  readonly rounds: number;
  readonly secondsOfRound: number;
  readonly secondsOfWarmUp: number;
  /** The number of records when memory and disk are measured. */
  readonly records: number;
}

export const plans = {
  full: { rounds: 5, secondsOfRound: 1.5, secondsOfWarmUp: 0.5, records: 1_000_000 },
  short: { rounds: 3, secondsOfRound: 0.1, secondsOfWarmUp: 0.05, records: 10_000 },
} as const satisfies Record<string, Plan>;

export interface Figure {
  readonly work: Work;
  readonly clients: number;
  /** The median of the rounds. */
  readonly perSecond: number;
  /** The median of what each round gave against the first of the works in the same round. */
  readonly ratio: number;
}

/** In turns, so that what else the machine does hits all alike. */
export async function compare(clients: number, works: readonly Work[], plan: Plan): Promise<readonly Figure[]> {
  for (const work of works) await perSecond(clients, work, plan.secondsOfWarmUp);
  const rounds: number[][] = [];
  for (let round = 0; round < plan.rounds; round++) {
    const figures: number[] = [];
    for (const work of works) figures.push(await perSecond(clients, work, plan.secondsOfRound));
    rounds.push(figures);
  }
  return works.map((work, index) => ({
    work,
    clients,
    perSecond: median(rounds.map((figures) => figures[index] ?? 0)),
    ratio: median(rounds.map((figures) => (figures[index] ?? 0) / (figures[0] ?? 1))),
  }));
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;
}

async function perSecond(clients: number, { run }: Work, seconds: number): Promise<number> {
  const start = performance.now();
  const end = start + seconds * 1000;
  let done = 0;
  const client = async (_: unknown, number: number) => {
    for (; performance.now() < end; done++) await run(number);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (done * 1000) / (performance.now() - start);
}
