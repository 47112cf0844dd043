/** All data of one person: erased, merged or exported, as each module says of what it holds. */
export type { PersonAccounts, PersonData, PersonRun } from './person-data.ts';
export { withProblem } from './person-job.ts';
