// On whatever Node there is: plain JavaScript.

/** The oldest one that runs the platform, as `engines` of package.json has it. */
export const neededNode = '24.7';

/** The oldest SQLite that the store takes, as `store/sqlite/connection.ts` has it. A Node brings its own. */
export const neededSqlite = '3.51.3';

/** Whether a version is that one or a newer one. */
export function isNewEnough(version, needed = neededNode) {
  const [parts, least] = [version, needed].map((text) => text.split('.').map(Number));
  const at = least.findIndex((part, index) => parts[index] !== part);
  return at === -1 || parts[at] > least[at];
}

/** @returns why a Node cannot run commands that open stores; undefined where it can */
export function whyTooOld({ node, sqlite }) {
  if (!isNewEnough(node)) return `Freehold needs Node ${neededNode} or newer, and this is Node ${node}`;
  if (sqlite === undefined || isNewEnough(sqlite, neededSqlite)) return undefined;
  return `the store needs SQLite ${neededSqlite} or newer, and this Node ${node} has SQLite ${sqlite}`;
}
