import { Alert, Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';

/** Where settings are changed, and how they come to production. `path` is that of the page below `/settings`. */
export function PromotionNotice({ path }: { readonly path: string }) {
  const { org, env } = usePlace();
  if (env === 'prod')
    return (
      <Alert color="yellow" role="note">
        Settings are changed in test, and a deploy brings them here.{' '}
        <Anchor component={Link} to={`/o/${org}/test/settings${path === '' ? '' : `/${path}`}`} size="sm" underline="always" c="var(--mantine-color-text)">
          Change them in test
        </Anchor>
      </Alert>
    );
  return (
    <Alert color="gray" role="note">
      A change applies to test within a second. Production gets it by a{' '}
      <Anchor component={Link} to={`/o/${org}/${env}/deploy`} size="sm" underline="always" c="var(--mantine-color-text)">
        deploy
      </Anchor>
      .
    </Alert>
  );
}
