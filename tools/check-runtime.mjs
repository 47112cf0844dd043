// Runs before the scripts of package.json, on whatever Node there is: plain JavaScript, no package.
import { isNewEnough, neededNode } from '../packages/server/bin/needed-node.mjs';

const found = process.versions.node;

if (!isNewEnough(found)) {
  console.error(`Freehold needs Node ${neededNode} or newer; this is Node ${found}.

\`npm ci\` brings a newer Node along as an optional dependency, and \`npm test\` and \`npm start\` then use it.
It is not there: either \`npm ci\` has not run, or it ran without optional dependencies
(\`--omit=optional\`, \`--no-optional\`, or \`omit=optional\` in a .npmrc), or none is published for ${process.platform}-${process.arch}.
Run \`npm ci --include=optional\`, or install Node ${neededNode} or newer.`);
  process.exit(1);
}
