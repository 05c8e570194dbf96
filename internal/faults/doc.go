// Package faults holds no code but tests: they run the command as a process, have
// its system calls fail one by one or its disk run full, and look at what it leaves.
// What they prove is in docs/reliability.md: whatever goes wrong, a reader finds the
// old set or the new one, whole, and the next run completes it.
//
// The tests are for Linux on amd64 and arm64. Run them with
//
//	go test ./internal/faults                         # some faults of each kind
//	SITEWALK_FAULTS=all go test -timeout 60m -v ./internal/faults   # every call, with every error
//
// With -v each test prints what it did as rows of a table. SITEWALK_E2E=1 makes a
// test fail that would be skipped because the system does not allow what it needs.
//
// Start at TestEveryCallFailsOnce. Faults come from the test itself, which the kernel
// asks what is to become of each call (seccomp_unotify(2)): so calls are counted
// over all threads of the process, in the order in which they are made. A tracer such
// as strace counts each thread's calls apart, and Go moves its work from thread to
// thread.
package faults
