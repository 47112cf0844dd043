// On whatever Node there is: plain JavaScript.

/** The oldest one that runs the platform, as `engines` of package.json has it. */
export const neededNode = '24.7';

/** Whether a version is that one or a newer one. */
export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  const [neededMajor, neededMinor] = neededNode.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}
