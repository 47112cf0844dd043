/** Why a route has no largest of its own beside what every route is sent. */

export const nothingToChoose = {
  nothing: 'what it takes is a few short texts, and what it reads is bounded by itself',
};
export const nothingOfOneItem = { nothing: 'reads or writes one item by its name or id' };
export const nothingAsked = { nothing: 'takes nothing, and answers what is small' };
