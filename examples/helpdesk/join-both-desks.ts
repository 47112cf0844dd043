import { createApp } from '@freehold/client';
import type { DemoPlatform } from './demo-platform.ts';

/**
 * Makes Lea, the lead of one desk, a lead of the other too, by an invitation that she accepts, so that there is someone to
 * switch workspaces. It does nothing where she is one already.
 */
export async function joinBothDesks({ url, org, clientId, password }: DemoPlatform): Promise<void> {
  const enter = async (name: string) => {
    const app = createApp({ url, org, clientId });
    await app.signIn({ email: `${name}@demo.example`, password });
    return app;
  };
  const lea = await enter('lea');
  const workspaces = await lea.workspaces.list();
  if (workspaces.some(({ code }) => code === 'harbour')) return;
  const max = await enter('max');
  const { items } = await max.entity('aclpolicy').list({ where: { name: 'lead' } });
  const body = { email: 'lea@demo.example', role: 'lead', acl_policy_id: items[0]?.id };
  const { code } = await max.request<{ code: string }>('POST', '/user/invitations', { body });
  await lea.request('POST', '/user/acceptinvitation', { body: { code } });
  // Accepting has chosen the other desk for her next sign-in.
  await lea.request('POST', '/user/switch-tenant', { body: { tenant_code: 'lumen' } });
}
