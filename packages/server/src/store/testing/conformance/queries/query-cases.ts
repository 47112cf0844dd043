import type { ConformanceCase } from '../bench.ts';
import { conditionCases } from './condition-cases.ts';
import { measureCases } from './measure-cases.ts';
import { selectCases } from './select-cases.ts';

/** The promises of `select` and `measure`. */
export const queryCases: readonly ConformanceCase[] = [...conditionCases, ...selectCases, ...measureCases];
