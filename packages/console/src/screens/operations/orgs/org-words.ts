/** The platform counts the builders of an org no further. */
export const usersMax = 1000;
