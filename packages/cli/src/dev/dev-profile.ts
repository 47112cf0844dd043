/** The profile by which other commands reach the platform of `freehold dev`. */
import { sep } from 'node:path';
import type { Context } from '../frame/context.ts';
import { knownError } from '../management/known-error.ts';
import type { Target } from '../profiles/target.ts';

const name = 'dev';

/** Keeps the session as the profile `dev`, unless a profile of this name is for a platform elsewhere. */
export function keepProfile({ profiles, out }: Context, root: string, target: Target): void {
  const { profile: _, ...kept } = target;
  // A credential inside of the project would be committed with it.
  if (profiles.path.startsWith(`${root}${sep}`)) return;
  try {
    const other = profiles.all().get(name);
    if (other === undefined || isHere(other.url)) profiles.put(name, kept);
    else out.note(`the profile \`${name}\` is for ${other.url}, and stays as it is`);
  } catch (error) {
    out.note(`the profile \`${name}\` is not kept: ${knownError(error)?.message ?? String(error)}`);
  }
}

function isHere(url: string): boolean {
  return URL.canParse(url) && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
}
