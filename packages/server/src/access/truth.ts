/** The effect of a statement that matches. */
export type Effect = 'Allow' | 'Deny';

/** The verdict of a condition on a request: it may depend on what is not known yet. */
export type Truth = boolean | 'unknown';

export function not(truth: Truth): Truth {
  return truth === 'unknown' ? truth : !truth;
}

/** True as soon as one is true, else unknown where one is. */
export function anyOf<Item>(items: readonly Item[], test: (item: Item) => Truth): Truth {
  let result: Truth = false;
  for (const item of items) {
    const truth = test(item);
    if (truth === true) return true;
    if (truth === 'unknown') result = truth;
  }
  return result;
}

/** False as soon as one is false, else unknown where one is. */
export function everyOf<Item>(items: readonly Item[], test: (item: Item) => Truth): Truth {
  let result: Truth = true;
  for (const item of items) {
    const truth = test(item);
    if (truth === false) return false;
    if (truth === 'unknown') result = truth;
  }
  return result;
}
