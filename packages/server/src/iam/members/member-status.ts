/**
 * The status of a member whose account cannot be signed in to: its password was chosen under an address that another
 * account has proved since. The platform alone sets it and takes it away.
 */
export const suspendedPassword = 'password_suspended';
