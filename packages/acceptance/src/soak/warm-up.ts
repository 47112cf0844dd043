/** What a platform keeps the last of is filled at once, so that its filling is not taken for growth. */
import { act, newEmail } from '../org.ts';
import type { Stage } from './stage.ts';

/** So many denials of each org, and so many mails of a platform in development. */
const keptOfEach = 200;

/** Judges nothing: where faults are planted, some of this meets them. */
export async function fillWhatIsKept({ workplaces }: Stage): Promise<void> {
  await Promise.all(
    workplaces.map(async ({ admin, member }) => {
      for (let made = 0; made < keptOfEach; made++)
        try {
          await act(member, 'GET', '/list/user');
          const invited = await act(admin, 'POST', '/user/invitations', { body: { email: newEmail('guest') } });
          await act(admin, 'DELETE', `/user/invitations/${invited.body.id}`);
        } catch {
          // A connection that broke, or an answer without a body.
        }
    }),
  );
}
