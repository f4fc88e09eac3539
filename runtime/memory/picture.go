package memory

import (
	"bytes"
	"image"
	_ "image/gif"  // read the sizes of GIF,
	_ "image/jpeg" // JPEG
	_ "image/png"  // and PNG

	"drydock/runtime/llm"
)

// How images are counted: made to fit a square, then until the short side is
// no longer than another length, in tiles. Others count less, few more.
const (
	fitSquare    = 2048
	fitShort     = 768
	tileSide     = 512
	perTile      = 170
	perPicture   = 85
	largePicture = perPicture + 8*perTile // what the largest comes to
)

// pictureTokens estimates an image from the size its header names. One that
// cannot be read counts as large.
func pictureTokens(img llm.Image) int {
	cfg, _, err := image.DecodeConfig(bytes.NewReader(img.Data))
	if err != nil || cfg.Width <= 0 || cfg.Height <= 0 {
		return largePicture
	}
	w, h := float64(cfg.Width), float64(cfg.Height)
	shrink := min(1, fitSquare/max(w, h))
	w, h = w*shrink, h*shrink
	shrink = min(1, fitShort/min(w, h))
	return min(largePicture, perPicture+tiles(w*shrink)*tiles(h*shrink)*perTile)
}

func tiles(length float64) int { return (max(int(length), 1) + tileSide - 1) / tileSide }
