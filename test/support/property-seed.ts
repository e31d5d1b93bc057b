// Properties try what a random seed gives wherever somebody works. A build server tries the same on every
// run, other inputs on each major version of Node: its verdict on a commit has to be one that can be had again.

import fc from 'fast-check';

const { FC_SEED, CI } = process.env;
const seed = FC_SEED ?? (CI ? process.versions.node.split('.')[0] : undefined);

if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
