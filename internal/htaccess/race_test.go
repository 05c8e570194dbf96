//go:build race

package htaccess

const raceDetector = true
