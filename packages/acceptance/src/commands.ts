/** What is known of the commands of an installation before they are run. */
export const commandNames = ['start', 'backup', 'restore', 'copy', 'doctor', 'verify', 'recount', 'keys'];

/** Settings of a command that looks for data in folders, whichever store the tests are run on. */
export const bare = { FREEHOLD_STORE: 'sqlite:' };

/** Node as it is, but for the version that it says it has. */
export const saying = (version: string) => [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`,
];
