package sitewalk

// EventKind is what an event is about, as JSON has it.
type EventKind string

// The kinds of events.
const (
	EventPublished EventKind = "published" // files were written
	EventUnchanged EventKind = "unchanged" // the first build had nothing to write
	EventReady     EventKind = "ready"     // all watches are set
	EventWaiting   EventKind = "waiting"   // the docroot is gone; what was published stays until it is back
	EventError     EventKind = "error"     // a publication failed, and what was published before is intact
)

// An Event is what a watch tells.
type Event struct {
	Kind EventKind
	// Report is of the kinds published and unchanged, and of an error for want of
	// pages; else it is nil.
	Report *Report
	// Added, Changed and Removed are the numbers of pages that differ from the
	// publication before; of the first one they are 0.
	Added, Changed, Removed int64
	// Directories is the number of folders that are watched, or looked at now and
	// then, and Mode says how: inotify (or what else the system has), poll, or
	// mixed. They are of the kind ready.
	Directories int
	Mode        string
	// Err is of the kinds waiting and error.
	Err error
}

// MarshalJSON writes the event as the object that watch --json prints.
func (e Event) MarshalJSON() ([]byte, error) {
	switch e.Kind {
	case EventReady:
		return marshal(struct {
			Event       EventKind `json:"event"`
			Directories int       `json:"directories"`
			Mode        string    `json:"mode"`
		}{e.Kind, e.Directories, e.Mode})
	case EventPublished, EventUnchanged:
		return marshal(struct {
			*Report
			Added   int64 `json:"pages_added"`
			Changed int64 `json:"pages_changed"`
			Removed int64 `json:"pages_removed"`
		}{e.Report, e.Added, e.Changed, e.Removed})
	}
	failure := struct {
		Event EventKind `json:"event"`
		*Report
		Message string `json:"message"`
	}{Event: e.Kind, Report: e.Report}
	if e.Err != nil {
		failure.Message = PercentEncode(e.Err.Error())
	}
	return marshal(failure)
}
