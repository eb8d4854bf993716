// How V8 compiles what is about to be loaded. A simulation spends its time in many small functions, none of them hot: with
// half as much again of room for inlining them a quiet cluster is 3 to 4 % faster, and puts through etcd are as fast as
// before (with twice the room they are slower). Measured with `npm run bench -- cluster etcd/throughput`.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--max-inlined-bytecode-size-cumulative=1400');
