/** What the kinds of steps do, where one is chosen. A kind without words is shown by its name alone. */
export const stepWords: Readonly<Record<string, string>> = {
  get: 'Reads a record',
  list: 'Reads records of an entity',
  aggregate: 'Counts and adds up records in groups',
  create: 'Makes a record',
  update: 'Changes a record',
  delete: 'Deletes a record',
  set: 'Gives values names',
  transform: 'Gives a value',
  script: 'Computes a value in JavaScript',
  condition: 'Goes on, or goes to a later step',
  switch: 'Does the steps of one of several cases',
  loop: 'Does its steps for each element of a list',
  parallel: 'Does branches beside each other',
  call: 'Calls another logic block',
  http: 'Calls another system',
  mail: 'Sends a mail',
  wait: 'Waits for some time',
  raise: 'Ends the run with a refusal',
};

const filterWords = 'The conditions that records meet; without one, all records of the entity';

/** The meaning of members of a step, by its type, where their schema does not say it. */
export const memberWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  list: {
    filters: filterWords,
    sortby: 'A field of the entity',
    pagesize: 'The number of records of a page, at most 200',
    all: 'Reads up to 20 pages, not the first one alone',
  },
  aggregate: {
    filters: filterWords,
    having: 'A condition on the names of a group and of its values, such as `sum_amount > {{ input.above }}`',
    sortby: 'Names of the groups and of their values, with commas between them',
    pagesize: 'The number of groups of a page, at most 1000; 100 if it is empty',
    time_zone: 'The zone in which days and months begin, such as `Europe/Berlin`; UTC if it is empty',
    all: 'Gives the groups of up to 20 pages, not of the first one alone',
  },
};

/** The same for the members of a block beside its steps. */
export const blockWords: Readonly<Record<string, string>> = {
  run_as: 'By whose rights the steps read and write: those of the caller, or `app` by the policies of the block',
};
