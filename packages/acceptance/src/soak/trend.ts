/** Whether something grows, and how surely that can be said. */

export interface Point {
  /** Seconds. */
  readonly at: number;
  readonly value: number;
}

export interface Trend {
  /** Per hour. */
  readonly slope: number;
  /** Half of the 95 % confidence interval, per hour; infinite where there are too few points. */
  readonly uncertainty: number;
}

export type Verdict = 'flat' | 'grows' | 'cannot tell';

/**
 * The straight line through the points by least squares. Neighbours are alike, so they say less than as many points
 * that know nothing of each other: the interval is widened by the correlation of each residual with the next.
 */
export function trendOf(points: readonly Point[]): Trend {
  const count = points.length;
  if (count < 4) return { slope: Number.NaN, uncertainty: Number.POSITIVE_INFINITY };
  const [middle, level] = [mean(points.map(({ at }) => at)), mean(points.map(({ value }) => value))];
  const spread = sum(points.map(({ at }) => (at - middle) ** 2));
  const slope = sum(points.map(({ at, value }) => (at - middle) * (value - level))) / spread;
  const residuals = points.map(({ at, value }) => value - level - slope * (at - middle));
  const squares = sum(residuals.map((residual) => residual ** 2));
  const products = sum(residuals.slice(1).map((residual, index) => residual * (residuals[index] ?? 0)));
  const likeness = Math.min(0.9, Math.max(0, squares === 0 ? 0 : products / squares));
  const freedom = Math.max(1, (count * (1 - likeness)) / (1 + likeness) - 2);
  const deviation = Math.sqrt((squares / (count - 2) / spread) * ((1 + likeness) / (1 - likeness)));
  return { slope: slope * hour, uncertainty: studentQuantile(freedom) * deviation * hour };
}

/**
 * The same of what settles slowly, as memory does long after a start: where the halves of the time do not agree, the line
 * says no more than by how much they differ. A leak is as steep in both.
 */
export function settledTrendOf(points: readonly Point[]): Trend {
  const half = Math.floor(points.length / 2);
  const [before, after] = [trendOf(points.slice(0, half)), trendOf(points.slice(half))];
  const { slope, uncertainty } = trendOf(points);
  const difference = Math.abs(before.slope - after.slope);
  return {
    slope,
    uncertainty: Math.max(uncertainty, Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference),
  };
}

/** `grows` and `flat` are said where the whole interval is on that side of the limit. */
export function verdictOf({ slope, uncertainty }: Trend, limitPerHour: number): Verdict {
  if (slope - uncertainty > limitPerHour) return 'grows';
  return slope + uncertainty < limitPerHour ? 'flat' : 'cannot tell';
}

/** The least of each stretch of so many seconds: what a process needs in between is not what it keeps. */
export function floorsOf(points: readonly Point[], seconds: number): readonly Point[] {
  const [first] = points;
  if (first === undefined) return [];
  const stretches = Map.groupBy(points, ({ at }) => Math.floor((at - first.at) / seconds));
  return [...stretches.values()].map((stretch) => ({
    at: mean(stretch.map(({ at }) => at)),
    value: Math.min(...stretch.map(({ value }) => value)),
  }));
}

/** Whether the last quarter of a count lies above all of the first. */
export function hasRisen(points: readonly Point[]): boolean {
  const quarter = Math.floor(points.length / 4);
  if (quarter === 0) return false;
  const values = points.map(({ value }) => value);
  return Math.min(...values.slice(-quarter)) > Math.max(...values.slice(0, quarter));
}

export function medianOf(points: readonly Point[]): number {
  const sorted = points.map(({ value }) => value).sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const hour = 3600;

/** The 97.5 % quantile of Student's distribution, for a two-sided interval of 95 %. */
function studentQuantile(freedom: number): number {
  const known = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26][Math.floor(freedom) - 1];
  return known ?? 1.96 + 2.7 / freedom;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
