package scanner

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// The file systems, by their numbers in statfs(2), where changes may be made by
// other machines, or in layers below, of which inotify tells nothing.
// https://man7.org/linux/man-pages/man7/inotify.7.html (Limitations and caveats)
var networks = map[uint64]bool{
	unix.NFS_SUPER_MAGIC: true, unix.SMB_SUPER_MAGIC: true, unix.CIFS_SUPER_MAGIC: true, unix.SMB2_SUPER_MAGIC: true,
	unix.CEPH_SUPER_MAGIC: true, unix.AFS_SUPER_MAGIC: true, unix.AFS_FS_MAGIC: true, unix.CODA_SUPER_MAGIC: true,
	unix.NCP_SUPER_MAGIC: true, unix.V9FS_MAGIC: true, unix.FUSE_SUPER_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true,
	0x0bd00bd0: true, // Lustre
	0x01161970: true, // GFS2
	0x7461636f: true, // OCFS2
	0x786f4256: true, // VirtualBox shared folders
	0xbacbacbc: true, // VMware shared folders
}

// isNetwork reports whether the file system at a path is one of those.
func isNetwork(path string) bool {
	var stat unix.Statfs_t
	return unix.Statfs(path, &stat) == nil && networks[uint64(uint32(stat.Type))]
}

// MountsBelow returns what is mounted at and below a path, as a text that changes
// when that does. Nothing else tells of a mount.
func MountsBelow(path string) string {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	path = mountEscape.Replace(path)
	var below strings.Builder
	for line := range strings.Lines(string(table)) {
		// The fifth field is the mount point.
		// https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
		fields := strings.SplitN(line, " ", 6)
		if len(fields) == 6 && (fields[4] == path || strings.HasPrefix(fields[4], strings.TrimSuffix(path, "/")+"/")) {
			below.WriteString(fields[0] + " " + fields[2] + " " + fields[3] + " " + fields[4] + "\n")
		}
	}
	return below.String()
}

// mountEscape writes a path as the table of mounts does.
var mountEscape = strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`)
