import { Stack } from '@mantine/core';
import { usePlace } from '../../api/session.ts';
import { AdminsOnly } from '../../components/org/admins-only.tsx';
import { Screen } from '../../components/screen.tsx';
import { DeployKeys } from './deploy-keys.tsx';
import { ServiceKeys } from './service-keys.tsx';

/** The keys by which programs call the app and deploy it. */
export function Keys() {
  const { env } = usePlace();
  return (
    <Screen
      title="Keys"
      intro="Programs have keys in place of accounts. A key is shown once, when it is created; the platform keeps a digest of it."
    >
      <AdminsOnly what="the keys of the org">
        <Stack gap="xl">
          <ServiceKeys key={env} />
          <DeployKeys />
        </Stack>
      </AdminsOnly>
    </Screen>
  );
}
