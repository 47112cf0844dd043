/** The mails that the platform sends to the users of an app. Their texts are settings of the group `mail`, by these names. */
export const appMailNames = [
  'verify_email',
  'merge_accounts',
  'reset_password',
  'reset_suspended_password',
  'invitation',
] as const;

export type AppMailName = (typeof appMailNames)[number];

/** The number of characters that a text may have. */
export const mailTextMax = { subject: 200, text: 10_000, html: 20_000 } as const;
