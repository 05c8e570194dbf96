// Package faults holds no code but tests: they run the command as a process, have
// its system calls fail one by one or its disk run full, cut the power, read while it
// publishes, and play a docroot's owner who means harm, and look at what is left.
// What they prove is in docs/reliability.md: whatever goes wrong, a reader finds the
// old set or the new one, whole, and the next run completes it.
//
// The tests are for Linux; those that have system calls fail, for amd64 and arm64. Run
// them with
//
//	go test ./internal/faults                         # some faults of each kind
//	SITEWALK_FAULTS=all go test -timeout 60m -v ./internal/faults   # every call, with every error
//
// With -v each test prints what it did as rows of a table. SITEWALK_E2E=1 tries more than
// the first, and makes a test fail that would be skipped because the machine lacks a
// program or a right that it needs.
//
// # What runs the command
//
// Start at command_linux_test.go: all that runs the command, or skips a test for want of
// something, is there. A watch that runs beside a test is in watching, what mounts in
// namespace, file systems on disks in filesystem, and what reads sets as a crawler would
// in reader. (Each name stands for a file NAME_linux_test.go.)
//
// # System calls that fail
//
// Faults come from the test itself, which the kernel asks what is to become of each call
// (seccomp_unotify(2)): so calls are counted over all threads of the process, in the
// order in which they are made. A tracer such as strace counts each thread's calls
// apart, and Go moves its work from thread to thread.
//
//	calls        each call fails once, or from some moment on; the process is killed.
//	             Start at TestEveryCallFailsOnce
//	reading      each call fails once that reads pages, folders, links and .htaccess
//	watch        the same for a watch
//	overlooked   strace shows that no call was forgotten
//	scenario     the changes of a site during which that happens
//	world        a docroot, what was published of it, and how that is judged
//	supervisor   who decides about calls; stage is what a process becomes supervised by,
//	             and limited in descriptors and lengths of files; watched is a watch on it
//
// # No room
//
//	room         disks in memory (tmpfs) that are full or read-only
//	quota        the docroot's owner has used up a quota
//	limits       few descriptors, and short files
//
// # Power cuts
//
//	cut          when the power is cut, and what must then be there. Start at
//	             TestAfterAPowerCutTheSetIsWholeAndNoOlderThanTold
//	cut_site     a site on a disk whose power is cut; cut_verdict judges what is left
//	cut_disk     a disk that remembers each write and each flush
//	cut_fuse     shows such disks to the kernel as files; cut_orders is the process that
//	             does so, and what it is told
//
// # Readers
//
//	readers      sets are read while a watch, and builds beside it, publish
//	crawler      who reads them, from the disk and from nginx
//
// # Intruders and bombs
//
//	intruder     what an owner may do to root's command; names has texts that upset
//	             terminals, canary tells of who touches what is not the owner's
//	bombs        small inputs that would take no end of time or memory: bombs_list has
//	             them, bombs_folder makes them, webbombs are those of a web server
package faults
