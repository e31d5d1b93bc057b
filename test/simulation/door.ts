// What the tests of the simulation load.

export { hunt } from './mutations/hunt.ts';
export { MUTATIONS } from './mutations/list.ts';
export { isProfileName, PROFILES, type ProfileName } from './profiles.ts';
export { runSeed, shrink } from './run.ts';
